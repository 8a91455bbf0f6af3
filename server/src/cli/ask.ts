import { createInterface } from 'node:readline/promises'
import { PlainFailure } from '../base/errors.ts'
import { type Arguments, UsageError } from './command.ts'

interface Step {
  /** The sentence that says what will happen. */
  readonly what: string
  /** To be typed. */
  readonly word: string
}

/** Asks on a terminal before something that cannot be undone, unless --yes is given. */
export async function confirm({ values }: Pick<Arguments, 'values'>, { what, word }: Step): Promise<void> {
  if (values['yes'] === true) return
  if (!process.stdin.isTTY) {
    // A refusal is one line, unless it lists steps.
    const space = what.includes('\n') ? '\n' : ' '
    throw new UsageError(`${what}${space}There is no terminal to ask on. Add --yes to do it.`)
  }
  const answer = await ask(`${what}\nType ${word} to do it: `)
  if (answer.trim() !== word) throw new PlainFailure('Nothing was changed.')
}

/** Asks on standard error, so that standard output holds only results. The end of the input is an empty answer. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}
