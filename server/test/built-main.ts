// The entry of the build that tests start: Tossup, or the hasty server, which a proof starts dozens of times.
import { RUN_PART } from '../src/base/own-program.ts'

const [word, name] = process.argv.slice(2)
if (word === RUN_PART && name === 'hasty-server.ts') await import('./hasty-server.ts')
else await import('../tools/build/bundled-main.ts')
