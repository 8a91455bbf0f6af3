// `npm run build:binary` and `npm run build:package`: see docs/guides/run.md. `npm run build:fonts`: see CONTRIBUTING.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildFonts } from '../fonts/build-fonts.ts'
import { buildBinary } from './build-binary.ts'
import { buildPackage } from './build-package.ts'

const folderOf = (path: string): string => join(new URL('../../../', import.meta.url).pathname, path)
const builds = {
  binary: { build: buildBinary, folder: 'dist' },
  package: { build: buildPackage, folder: 'dist' },
  fonts: { build: buildFonts, folder: 'server/fonts' },
}
const [form = '', folder] = process.argv.slice(2)
const chosen = Object.hasOwn(builds, form) ? builds[form as keyof typeof builds] : null
if (!chosen) {
  process.stderr.write('usage: npm run build:binary|build:package|build:fonts [-- FOLDER]\n')
  process.exit(2)
}
const out = folder ?? folderOf(chosen.folder)
mkdirSync(out, { recursive: true })
const { path, bytes } = await chosen.build(out)
process.stdout.write(`${path}: ${(bytes / 1e6).toFixed(1)} MB\n`)
