// Types, lint and format, dead code, architecture, rooms, missing translations, spelling. `npm run check -- --fix` lets Biome fix what it can, and
// `npm run check -- --size` only prints how large the project is.
import { spawn, spawnSync } from 'node:child_process'
import { ensureInstalled, root } from './install.mjs'

const bun = await ensureInstalled()
if (process.argv.includes('--size')) {
  const { status } = spawnSync(bun, ['--no-install', 'scripts/checks/size.mjs'], { cwd: root, stdio: 'inherit' })
  process.exit(status ?? 1)
}
const fix = process.argv.includes('--fix')
const bin = (path) => `node_modules/${path}`

const cache = 'node_modules/.cache'
// Incremental: a second run checks only the files that a change can affect.
const types = (name) => [
  bin('typescript-native/bin/tsc'),
  '--noEmit',
  '--pretty',
  '--incremental',
  '--tsBuildInfoFile',
  `${cache}/tsc/${name}`,
]

// Run by Bun, because some of these tools need a newer Node than 20.
const steps = [
  ['types', ...types('all')],
  ['types in a browser', ...types('browser'), '--project', 'embed/src/browser'],
  ['types of the console', ...types('console'), '--project', 'console'],
  ['types where there is no Bun', ...types('sdk'), '--project', 'sdk'],
  ['lint and format', bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', ...(fix ? ['--write'] : [])],
  ['dead code', bin('knip/bin/knip.js'), '--no-config-hints', '--cache', '--cache-location', `${cache}/knip`],
  ['architecture', bin('dependency-cruiser/bin/dependency-cruiser.mjs'), 'server', 'bench', 'embed', 'sdk', 'console'],
  ['rooms', 'scripts/checks/rooms.mjs'],
  ['translations: texts shown in English', 'scripts/checks/missing-translations.mjs'],
  [
    'spelling',
    bin('cspell/bin.mjs'),
    'lint',
    '--no-progress',
    '--no-summary',
    '--cache',
    '--cache-location',
    `${cache}/cspell`,
  ],
]

const lint = steps.find(([name]) => name === 'lint and format')

// With --fix, Biome runs first and alone, so that the other checks read the files it has rewritten.
const results = fix ? [await run(lint)] : []
results.push(...(await Promise.all(steps.filter((step) => !(fix && step === lint)).map(run))))
const failed = results.filter((result) => !result.passed).map((result) => result.name)
if (failed.length > 0) process.stdout.write(`check failed: ${failed.join(', ')}\n`)
process.exitCode = failed.length > 0 ? 1 : 0

function run([name, ...args]) {
  const started = performance.now()
  const env = { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) }
  const stdio = ['ignore', 'pipe', 'pipe']
  const child = spawn(bun, ['--no-env-file', '--no-install', ...args], { cwd: root, env, stdio })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      const passed = code === 0
      process.stdout.write(
        passed
          ? `✓ ${name} ${seconds} s\n${name.startsWith('translations') ? output : ''}`
          : `✗ ${name} ${seconds} s\n${output.trimEnd()}\n`,
      )
      resolve({ name, passed })
    })
  })
}
