import { buildBinary } from '../tools/build/build-binary.ts'

// Started by scripts/test-program.mjs: the one-file build of these sources, for all tests of a run that start Tossup.
const [folder = ''] = process.argv.slice(2)
const entrypoints = [new URL('built-main.ts', import.meta.url).pathname]
const { path } = await buildBinary(folder, { hasBytecode: true, entrypoints })
process.stdout.write(`${path}\n`)
