import type { Service } from '../app/start.ts'
import { type Demo, describeDemo, describeEarlierDemo, describeOwnerLink, seedDemo } from './demo/seed.ts'

/** The lines that `serve` prints when it has started, with the facts behind them. */
export interface Greeting {
  readonly url: string
  readonly demo: Demo | null
  readonly lines: readonly string[]
}

/** Creates the demo if it is wanted and the database is empty. */
export async function greet(service: Service): Promise<Greeting> {
  const { url, deps } = service
  const { isDemo } = deps.config
  const demo = isDemo ? await seedDemo(service) : null
  const earlier = isDemo && !demo ? await describeEarlierDemo(url, deps) : []
  const link = isDemo ? await describeOwnerLink(service) : []
  const lines = [`Tossup is running at ${url}`, ...(demo ? describeDemo(url, demo) : earlier), ...link]
  return { url, demo, lines }
}

export function printGreeting({ url, demo, lines }: Greeting, isJson: boolean): void {
  if (isJson) console.log(JSON.stringify({ url, ...(demo ? { demo } : {}) }))
  else console.log(lines.join('\n'))
}
