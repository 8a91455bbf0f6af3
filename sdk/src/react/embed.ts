import { createElement as h, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useVisitor } from './context.ts'
import { type Given, insideOf } from './inside.ts'
import { loadElements } from './load-elements.ts'
import { useLatest } from './use-latest.ts'

/** The options that every embed shares. */
export interface LookProps {
  /** Default: `auto`, the visitor's system. */
  readonly theme?: 'light' | 'dark' | 'auto' | undefined
  /** `rrggbb`, instead of the theme's. */
  readonly accent?: string | undefined
  readonly hideTitle?: boolean | undefined
  readonly hideBrand?: boolean | undefined
  /** The place that leads to the poll, such as `newsletter`: 1 to 40 of `a-z0-9_-`, sent with votes and views. */
  readonly source?: string | undefined
  /** Polls with `admission: 'code'`: the code of the person who votes. It is in no markup. */
  readonly code?: string | undefined
  /** Polls with `admission: 'code'`: after each vote the next person enters their code. */
  readonly kiosk?: boolean | undefined
  /** Default: the page's language. */
  readonly lang?: string | undefined
}

/** A code of the service, or `NETWORK_ERROR` without an answer. */
export interface EmbedError {
  readonly code: string
  /** The poll, where one is concerned. */
  readonly poll?: string
}

interface EmbedProps {
  readonly kind: 'poll' | 'campaign'
  readonly reference: string
  readonly looks: LookProps & { readonly autoAdvance?: boolean | undefined }
  readonly className: string | undefined
  /** Data that the element need not request. */
  readonly given: Given | undefined
  /** By the names of the element's events. */
  readonly told: Readonly<Record<string, ((detail: never) => void) | undefined>>
}

const EVENTS = ['ready', 'voted', 'step', 'completed', 'error'] as const
const NOT_OF_PAGE =
  '<Poll> and <Campaign> vote as the device of the page: with a storage, a deviceId or auth of your own, draw them by usePoll and useCampaign'
const PAGES = { poll: 'p', campaign: 'c' } as const

const isBrowser = 'document' in globalThis

/** A layout effect in browsers; servers would warn about it. */
const useCommitEffect = isBrowser ? useLayoutEffect : useEffect

/** An element of the service's script, so that polls look the same everywhere. */
export function Embed({ kind, reference, looks, className, given, told }: EmbedProps): ReactNode {
  const visitor = useVisitor()
  // Votes for another device than the intended one are worse than none. Servers do not vote.
  if (isBrowser && !visitor.isOfPage) throw new Error(NOT_OF_PAGE)
  const place = useRef<HTMLElement>(null)
  const listeners = useLatest(told)
  const page = `${visitor.url}/${PAGES[kind]}/${encodeURIComponent(reference)}`
  // The element removes this once it has read it, and React must not put it back.
  const [inside] = useState(() => insideOf(given, page))
  const [isMissing, setMissing] = useState(false)

  useCommitEffect(() => {
    const element = place.current as EventTarget | null
    if (!element) return
    const hear = (event: Event) => {
      const name = event.type.replace('tossup:', '')
      listeners.current[name]?.((event as CustomEvent).detail as never)
    }
    for (const name of EVENTS) element.addEventListener(`tossup:${name}`, hear)
    return () => {
      for (const name of EVENTS) element.removeEventListener(`tossup:${name}`, hear)
    }
  }, [listeners])

  const { code } = looks
  useCommitEffect(() => {
    if (place.current) (place.current as { code?: string | undefined }).code = code
  }, [code])

  useEffect(() => {
    let isLeft = false
    loadElements(visitor.url).catch(() => {
      if (isLeft) return
      setMissing(true)
      listeners.current['error']?.({ code: 'NETWORK_ERROR' } satisfies EmbedError as never)
    })
    return () => {
      isLeft = true
    }
  }, [visitor, listeners])

  if (isMissing) return h('a', { href: page, className }, given?.title ?? page)
  return h(`tossup-${kind}`, {
    ref: place,
    [kind]: reference,
    ...attributesOf(looks),
    class: className,
    dangerouslySetInnerHTML: { __html: inside },
    // The element's script may have loaded before hydration.
    suppressHydrationWarning: true,
  })
}

/** React 18 writes any value into the attribute; React 19 leaves out false. */
const attributesOf = ({
  theme,
  accent,
  hideTitle,
  hideBrand,
  source,
  kiosk,
  lang,
  autoAdvance,
}: EmbedProps['looks']) => ({
  theme,
  accent,
  hidetitle: hideTitle ? '' : undefined,
  hidebrand: hideBrand ? '' : undefined,
  source,
  kiosk: kiosk ? '' : undefined,
  lang,
  autoadvance: autoAdvance === false ? 'false' : undefined,
})
