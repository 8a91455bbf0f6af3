// The entry of the builds, in which all modules are one file: the command line, or a part that another process of ours starts.
import { RUN_PART } from '../../src/base/own-program.ts'

const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  'main.ts': () => import('../../src/main.ts'),
  'card-process.ts': () => import('../../src/files/cards/card-process.ts'),
  'picture-process.ts': () => import('../../src/files/pictures/picture-process.ts'),
  'stylesheet-process.ts': () => import('../../src/features/brands/themes/css/stylesheet-process.ts'),
  'worker-process.ts': () => import('../../src/cli/workers/worker-process.ts'),
}

const [word, name = ''] = process.argv.slice(2)
if (word === RUN_PART) process.argv.splice(2, 2)
const run = parts[word === RUN_PART ? name : 'main.ts']
if (!run) throw new Error(`this build has no part ${name}`)
await run()
