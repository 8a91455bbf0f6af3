import { readFile, stat } from 'node:fs/promises'
import {
  type Checkpoint,
  LogError,
  type LogFault,
  type LogSource,
  openCheckpoint,
  openLog,
  readBundle,
  type Verdict,
  verifyLog,
} from '../../../../sdk/src/verify/index.ts'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { type Arguments, type Command, optionalText, type Result, requiredArgument, UsageError } from '../command.ts'

const LONGEST_MS = 30 * 60_000
const MOST_FILE_BYTES = 400_000_000
/** A check has failed, in contrast to one that could not be made. */
const CONTRADICTED = 3

/** They say nothing about the votes. */
const NO_VERDICT: readonly LogFault[] = ['UNREACHABLE', 'UNSUPPORTED', 'MALFORMED']

export const exitCodeOf = (faults: readonly LogError[]): number => {
  if (faults.length === 0) return 0
  return faults.every(({ code }) => NO_VERDICT.includes(code)) ? 1 : CONTRADICTED
}

export const EXIT_CODES =
  'Exits with 0 if everything holds, with 3 if a check failed, with 1 if no check could be made (no answer, no log, or not the file of one), and with 2 if the command line is invalid. The codes of failed checks: SIGNATURE_INVALID, NOT_EXTENDED, ENTRY_ALTERED, TILE_MISSING, COUNT_DIFFERS, LOG_BEHIND.'

export const verifyLogCommand: Command = {
  words: 'verify-log',
  usage: 'URL|FILE [--since FILE] [--key KEY]',
  summary: 'Count the votes of a poll again, from its public log or from a bundle that was downloaded before',
  options: {
    since: { type: 'string', about: 'An earlier checkpoint, or an earlier bundle, that the log must extend' },
    key: { type: 'string', about: 'The public key that must have signed; by default the one that comes with the log' },
  },
  positionals: 1,
  details: `URL is the address of the poll's page or of its log. Needs no database and no key. ${EXIT_CODES}`,
  async run(given) {
    const place = requiredArgument(given, 'URL or FILE')
    const signal = AbortSignal.timeout(LONGEST_MS)
    const source = await opened(() => sourceAt(place, signal))
    const seen = await opened(() => earlierOf(given, source))
    const publicKey = optionalText(given, 'key') ?? undefined
    return resultOf(source, await verifyLog(source, { publicKey, seen, signal }))
  },
}

/** Failures of a log before its check are failures of the command; an incomplete log is a verdict of its own. */
export async function opened<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw new PlainFailure(`${error.code}: ${error.message}`, { cause: error })
  }
}

async function sourceAt(place: string, signal: AbortSignal): Promise<LogSource> {
  if (!/^https?:/.test(place)) return readBundle(await textOf(place))
  const { service, poll } = pollAt(place)
  return openLog(service, poll, { signal })
}

/** The poll of a page, `/p/{shortId}`, or of a log, `/log/{id}/{generation}`. */
export function pollAt(address: string): { readonly service: string; readonly poll: string } {
  const { origin, pathname } = URL.canParse(address) ? new URL(address) : { origin: '', pathname: '' }
  const poll = /\/(?:p|log|polls)\/([\w-]+)/.exec(pathname)?.[1]
  if (!poll)
    throw new UsageError(
      `${address} is not the address of a poll: give that of its page, such as https://polls.example.com/p/Xk3_pQ9vZ2Lm.`,
    )
  return { service: origin, poll }
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MOST_FILE_BYTES)
      throw new PlainFailure(`${path} is larger than ${MOST_FILE_BYTES} bytes: check the log by its URL.`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof PlainFailure) throw error
    throw new PlainFailure(`Cannot read ${path}: ${reasonOf(error)}`)
  }
}

/** A bundle has a key of its own; a bare checkpoint is of the key of the log. */
async function earlierOf(given: Arguments, { publicKey }: LogSource): Promise<Checkpoint[]> {
  const path = optionalText(given, 'since')
  if (path === null) return []
  const text = await textOf(path)
  const earlier = text.startsWith('{') ? readBundle(text) : { checkpoint: text, publicKey }
  return [await openCheckpoint(earlier.checkpoint, earlier.publicKey)]
}

function resultOf({ poll, origin, restarts }: LogSource, { isSound, faults, checkpoint, count }: Verdict): Result {
  const [a, b] = poll.labels
  const text = [
    `${poll.title} (${origin})`,
    ...(count ? [`${a}: ${count.optionA}`, `${b}: ${count.optionB}`] : []),
    ...restarts.map(({ at, size }) => `The log began again at ${at}; the one before had ${size} votes.`),
    ...faults.map(({ code, message }) => `${code}: ${message}`),
    isSound ? 'Everything holds.' : 'The log does not hold.',
  ]
  const told = faults.map(({ code, message, between }) => ({ code, message, between }))
  const json = { isSound, faults: told, origin, size: checkpoint?.size ?? null, count, restarts }
  return { json, text, exitCode: exitCodeOf(faults) }
}
