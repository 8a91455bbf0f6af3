// `node tools/build.mjs [folder]` writes both builds to dist: ES modules (.js, .d.ts) and CommonJS (.cjs, .d.cts).
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sdk = fileURLToPath(new URL('..', import.meta.url))
const out = process.argv[2] ?? join(sdk, 'dist')
// The native compiler writes the same code in a tenth of the time. Its package exports no path to the command.
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript-native/package.json')), 'bin/tsc')

rmSync(out, { recursive: true, force: true })
compile('--module', 'commonjs', '--verbatimModuleSyntax', 'false')
// Below a package.json with "type": "module" only .cjs is CommonJS, and .d.cts holds its types.
for (const file of filesOf(/\.(js|ts)$/)) {
  const name = file.replace(/\.js$/, '.cjs').replace(/\.ts$/, '.cts')
  renameSync(file, name)
  nameImports(name, 'cjs')
}
compile()
for (const file of filesOf(/\.d\.ts$/)) nameImports(file, 'js')

function compile(...options) {
  execFileSync(process.execPath, [tsc, '-p', sdk, '--outDir', out, ...options], { stdio: 'inherit' })
}

function filesOf(pattern) {
  const names = readdirSync(out, { recursive: true }).filter((name) => pattern.test(name))
  return names.map((name) => join(out, name))
}

/** tsc leaves the `.ts` of imports in declarations, and knows no `.cjs`. */
function nameImports(file, extension) {
  const imports = /(\bfrom |\bimport\(|\brequire\()(["'])(\.[^"']*)\.(?:ts|js)\2/g
  writeFileSync(file, readFileSync(file, 'utf8').replace(imports, `$1$2$3.${extension}$2`))
}
