import { html } from '../../../../../embed/src/html.ts'
import { accentOf, type Looks, renderOptionsOf } from '../../../../../embed/src/looks.ts'
import { langOf } from '../../../../../embed/src/words.ts'
import { sourceHash } from '../content-security-policy.ts'
import type { Page, PageKind } from '../page.ts'
import { ERROR_WORDS } from './error-words.ts'
import { PLAIN_STYLES, troublePage, troubleStyles } from './trouble-page.ts'

export type What = 'poll' | 'campaign' | 'feed'

interface MissingPage {
  readonly what: What
  readonly kind: PageKind
}

/**
 * The 404 page for people. A draft, a deleted poll and no poll at all look the same: the page must not tell one from
 * another, so it knows no brand to lead to.
 */
export function missingPage(looks: Looks, { what, kind }: MissingPage): Page {
  const { lang: asked = 'en', scheme = 'auto' } = renderOptionsOf(looks)
  const lang = langOf(asked)
  const words = ERROR_WORDS[lang]
  const accent = accentOf(looks)
  const styles = accent === null ? PLAIN_STYLES : troubleStyles(accent)
  return {
    text: troublePage({
      status: 404,
      words: [words.gone[what], words.gone.advice],
      way: kind === 'frame' ? null : html`<a href="/">${words.home}</a>`,
      lang,
      styles,
      place: { kind, scheme },
    }),
    styleHashes: [sourceHash(styles)],
    scriptHashes: [],
  }
}
