import { SingleFlight } from '../../../base/work/single-flight.ts'
import { type Asset, assetOf } from './asset.ts'
import { buildElementScripts } from './browser-script.ts'

/** Scripts that `/embed.js` loads on demand. */
export const PARTS = ['lists', 'after', 'dress'] as const

export interface ElementScriptAssets {
  /** Names the scripts of one build, which fit together. */
  readonly build: string
  readonly embed: Asset
  readonly parts: Readonly<Record<(typeof PARTS)[number], Asset>>
}

/** Makes something at its first request, and again after a failure. */
export function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> | Made {
  const making = new SingleFlight<'it', Made>()
  let made: Made | null = null
  return () =>
    made ??
    making.run('it', async () => {
      made = await make()
      return made
    })
}

/** The scripts of the elements, built at the first request of a service. */
export const elementScripts = () =>
  madeOnce(async (): Promise<ElementScriptAssets> => {
    const { build, embed, lists, after, dress } = await buildElementScripts()
    const parts = { lists: assetOf(lists), after: assetOf(after), dress: assetOf(dress) }
    return { build, embed: assetOf(embed), parts }
  })

export const partAddress = (part: (typeof PARTS)[number], build: string): string =>
  `/embed/parts/${part}?build=${build}`
