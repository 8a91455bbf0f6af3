// `npm run build:binary` and `npm run build:package`: see docs/guides/run.md.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildBinary } from './build-binary.ts'
import { buildPackage } from './build-package.ts'

const [form, out = join(new URL('../../../', import.meta.url).pathname, 'dist')] = process.argv.slice(2)
const builds = { binary: buildBinary, package: buildPackage }
const build = form === 'binary' || form === 'package' ? builds[form] : null
if (!build) {
  process.stderr.write('usage: npm run build:binary|build:package [-- FOLDER]\n')
  process.exit(2)
}
mkdirSync(out, { recursive: true })
const { path, bytes } = await build(out)
process.stdout.write(`${path}: ${(bytes / 1e6).toFixed(1)} MB\n`)
