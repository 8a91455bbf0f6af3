import { version } from '../config/config.ts'
import type { Command } from './command.ts'

export const versionCommand: Command = {
  words: 'version',
  usage: '',
  summary: 'Print the version of Tossup and of its runtime',
  run: async () => ({ json: { version, bun: Bun.version }, text: `tossup ${version} (Bun ${Bun.version})` }),
}
