import { randomBytes } from 'node:crypto'
import { onLoadCore } from '../processes.ts'

export const CONNECTIONS = 64
const LUA = new URL('../wrk/load.lua', import.meta.url).pathname
const GENERATOR = new URL('generator.ts', import.meta.url).pathname

/** The pattern that repeats: a number of reads, then a number of votes. */
export interface Plan {
  readonly reads: number
  readonly votes: number
  readonly readPath?: string
  readonly votePaths?: readonly string[]
  readonly etag?: string
  /** Ends early when this many votes have been sent. */
  readonly most?: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Answers with status 400 or above. */
  readonly refused: number
  /** Requests without an answer. */
  readonly broken: number
  /** Votes sent or about to be sent; some of the last are never answered. */
  readonly votesSent: number
  readonly p50: number
  readonly p99: number
}

export const hasWrk = Bun.which('wrk') !== null

interface Run {
  readonly url: string
  readonly plan: Plan
  readonly seconds: number
  readonly generator?: 'wrk' | 'own'
  /** Ends the load early when it settles. */
  readonly until?: Promise<unknown>
}

export async function runLoad(run: Run): Promise<LoadResult> {
  const { url, plan, seconds, generator = hasWrk ? 'wrk' : 'own', until } = run
  const args = planArguments(plan, randomBytes(4).toString('hex'))
  const command =
    generator === 'wrk'
      ? ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s', '-s', LUA, url, '--', ...args]
      : [process.execPath, '--no-env-file', '--no-install', '--no-orphans', GENERATOR, url, String(seconds), ...args]
  const child = Bun.spawn([...onLoadCore, ...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const output = new Response(child.stdout).text()
  const interrupt = () => child.kill('SIGINT')
  until?.then(interrupt, interrupt)
  let complaint = ''
  for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
    complaint += chunk
    if (complaint.includes('enough')) child.kill('SIGINT')
  }
  if ((await child.exited) !== 0) throw new Error(`the load generator failed: ${complaint || (await output)}`)
  return readLoadResult(await output)
}

/** `name=value` arguments, for wrk's script and for our own generator. */
export function planArguments({ votePaths, ...plan }: Plan, run: string): string[] {
  const words = { run, ...plan, ...(votePaths ? { votePaths: votePaths.join(',') } : {}) }
  return Object.entries(words).map(([name, value]) => `${name}=${value}`)
}

/** The output contains other lines; one of them is our result. */
export function readLoadResult(output: string): LoadResult {
  const line = output.split('\n').find((candidate) => candidate.startsWith('load {'))
  if (!line) throw new Error(`the load printed no result: ${output}`)
  return JSON.parse(line.slice('load '.length))
}
