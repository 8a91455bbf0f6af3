import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { localUrl, readConfig } from '../../config/config.ts'
import type { Command } from '../command.ts'

const ANSWER_MS = 5_000

/** For containers, whose image has no program that could ask. */
export const healthCommand: Command = {
  words: 'health',
  usage: '',
  summary: 'Ask the server of HOST and PORT whether it can store a vote',
  details: 'Exits with 0 if /readyz answers 200, and with 1 otherwise. `doctor` looks for the reason.',
  async run() {
    const { host, port } = readConfig()
    const url = `${localUrl(host, port)}/readyz`
    const { status } = await ask(url)
    if (status !== 200) throw new PlainFailure(`${url} answered ${status}: no vote can be stored now.`)
    return { json: { isReady: true, url }, text: `${url} answered 200: votes can be stored.` }
  },
}

async function ask(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
  } catch (error) {
    throw new PlainFailure(`${url} does not answer: ${reasonOf(error)}`)
  }
}
