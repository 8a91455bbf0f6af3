import { createElement as h, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useVisitor } from './context.ts'
import { type Given, insideOf } from './inside.ts'
import { loadElements } from './load-elements.ts'
import { useLatest } from './use-latest.ts'

/** The words that every kind of embed understands. */
export interface LookProps {
  /** `auto`, as the visitor's system, unless said otherwise. */
  readonly theme?: 'light' | 'dark' | 'auto' | undefined
  /** `rrggbb`, in place of the theme's. */
  readonly accent?: string | undefined
  readonly hideTitle?: boolean | undefined
  readonly hideBrand?: boolean | undefined
  /** That of the page around it unless said otherwise. */
  readonly lang?: string | undefined
}

/** What went wrong: a code of the service, or `NETWORK_ERROR` where nothing answered. */
export interface EmbedError {
  readonly code: string
  /** Which poll it is about, where it is about one. */
  readonly poll?: string
}

interface EmbedProps {
  readonly kind: 'poll' | 'campaign'
  readonly reference: string
  readonly looks: LookProps & { readonly autoAdvance?: boolean | undefined }
  readonly className: string | undefined
  /** What the element need not ask for. */
  readonly given: Given | undefined
  /** By the names of the element's events. */
  readonly told: Readonly<Record<string, ((detail: never) => void) | undefined>>
}

const EVENTS = ['ready', 'voted', 'step', 'completed', 'error'] as const
const NOT_OF_PAGE =
  '<Poll> and <Campaign> vote as the device of the page: with a storage, a deviceId or auth of your own, draw them by usePoll and useCampaign'
const PAGES = { poll: 'p', campaign: 'c' } as const

const isBrowser = 'document' in globalThis

/** Before anything is painted; a server, which paints nothing, would complain of it. */
const useCommitEffect = isBrowser ? useLayoutEffect : useEffect

/** An element of the service's own script, so that a poll looks here as it does everywhere. */
export function Embed({ kind, reference, looks, className, given, told }: EmbedProps): ReactNode {
  const visitor = useVisitor()
  // Votes that count for another device than the one that was meant are worse than none. A server votes as nobody.
  if (isBrowser && !visitor.isOfPage) throw new Error(NOT_OF_PAGE)
  const place = useRef<HTMLElement>(null)
  const listeners = useLatest(told)
  const page = `${visitor.url}/${PAGES[kind]}/${encodeURIComponent(reference)}`
  // The element takes this out once it has read it, and nothing may bring it back.
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
    // Its script may have come before the page is taken over.
    suppressHydrationWarning: true,
  })
}

/** React 18 writes whatever it is given into the attribute of that name; from 19 on it leaves out what is false. */
const attributesOf = ({ theme, accent, hideTitle, hideBrand, lang, autoAdvance }: EmbedProps['looks']) => ({
  theme,
  accent,
  hidetitle: hideTitle ? '' : undefined,
  hidebrand: hideBrand ? '' : undefined,
  lang,
  autoadvance: autoAdvance === false ? 'false' : undefined,
})
