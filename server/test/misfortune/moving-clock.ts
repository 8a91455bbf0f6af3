// Preloaded into a server: at SIGUSR2 its time of day moves by the milliseconds in the file `clock` of DATA_DIR.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(process.env['DATA_DIR'] ?? '', 'clock')
const now = Date.now
let moved = 0
Date.now = () => now() + moved
process.on('SIGUSR2', () => {
  moved += Number(readFileSync(file, 'utf8'))
  process.stderr.write('the clock of the machine was set\n')
})
