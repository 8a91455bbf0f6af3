import { Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { PollView } from '../../../../embed/src/poll-view.ts'
import { renderBrandHead } from '../../../../embed/src/render/render-brand-head.ts'
import { renderPoll } from '../../../../embed/src/render/render-poll.ts'
import { renderStepper } from '../../../../embed/src/render/render-stepper.ts'
import pageSheet from '../../../../embed/src/styles/page.css' with { type: 'text' }
import { themeWith } from '../../../../embed/src/theme/looks.ts'
import type { Scheme } from '../../../../embed/src/theme/palette.ts'
import { pageThemeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import type { BrandProfile, OwnTheme } from '../../../../sdk/src/index.ts'
import { cardSchemeOf } from '../../parts/polls/card-scheme.ts'
import { pollSheets, sheetsWith } from '../../parts/polls/poll-sheets.ts'
import { Shadow } from '../../parts/polls/shadow.tsx'
import { sheetOf } from '../../parts/polls/sheet.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { language, words } from '../../words/words.ts'
import { ownScheme } from './contrast.ts'
import { ASSETS, standFor, type ThemeDraft } from './theme-draft.ts'

const VIEWS = ['poll', 'results', 'campaign', 'page'] as const
type View = (typeof VIEWS)[number]

/** The stylesheet of pages, for a root that stands for one. */
const inRoot = (css: string): string =>
  css
    .replace(/:root((?:\[[^\]]+\])+)/g, ':host($1)')
    .replaceAll(':root', ':host')
    .replace(/\bbody\b/g, '.page-body')

const pageStyles = sheetOf(`${inRoot(pageSheet)} .page-body{min-height:0!important;padding:1rem}`)

function samplePoll(view: View, name: string): PollView {
  const { edit } = words()
  const { look } = formWords()
  const option = (label: string) => ({ label, imageUrl: null, imageAlt: null })
  const isVoted = view === 'results' || view === 'campaign'
  return {
    id: 'preview',
    title: edit.questionPlaceholder,
    optionA: option(look.sampleA),
    optionB: option(look.sampleB),
    images: { combined: null },
    imageVariants: [],
    tallies: isVoted ? { optionA: 62, optionB: 38, total: 100 } : { optionA: 0, optionB: 0, total: 0, hidden: true },
    status: view === 'campaign' ? 'closed' : 'open',
    // The page of the brand does not repeat it.
    brand: view === 'page' ? null : { name },
    resultsVisibility: isVoted ? 'always' : 'after_vote',
  }
}

interface Shown {
  readonly view: View
  readonly scheme: Scheme
  readonly theme: OwnTheme
  readonly brand: BrandProfile
}

const STEPS = 3

function markupOf({ view, scheme, theme, brand }: Shown): string {
  const { lang } = language
  const place = [brand.locationCity, brand.locationState].filter(Boolean).join(', ') || null
  const profile = { avatarUrl: brand.avatarUrl, description: brand.description, place }
  const vote = view === 'results' || view === 'campaign' ? ('A' as const) : null
  const poll = renderPoll(samplePoll(view, brand.name), themeWith(theme, { theme: scheme }), {
    colorScheme: scheme,
    lang,
    vote,
  })
  if (view === 'campaign')
    return renderStepper({ title: formWords().look.sampleCampaign, at: STEPS, total: STEPS, lang }) + poll
  if (view !== 'page') return poll
  return `<div class="page-body" dir="${language.dir}">${renderBrandHead({ brandName: brand.displayName ?? brand.name, profile, theme }).toString()}${poll}</div>`
}

/** With the pictures that wait for their upload: their addresses are made by the browser. */
const withPictures = (markup: string, draft: ThemeDraft | undefined): string =>
  ASSETS.reduce((text, name) => {
    const asset = draft?.[name]
    return asset?.file ? text.replaceAll(standFor(name), () => asset.url) : text
  }, markup)

interface PreviewProps {
  /** Pictures in it may wait for their upload. */
  readonly draft?: ThemeDraft
  readonly theme: OwnTheme
  /** A profile that is not stored yet: then only the page of the brand is shown. */
  readonly profile?: BrandProfile
}

/** A poll, the end of a campaign and the page of the brand, drawn as visitors get them. */
export function ThemePreview({ draft, theme, profile }: PreviewProps) {
  const { slug, tossup } = useBrand()
  const { edit, nav } = words()
  const { look } = formWords()
  const [view, setView] = useState<View>(profile ? 'page' : 'poll')
  const [chosen, setChosen] = useState<Scheme | null>(null)
  const scheme = chosen ?? ownScheme(theme)
  const shown = cardSchemeOf(theme, scheme)
  const ground = view === 'page' ? shown : scheme
  const { customCssUrl = null } = theme
  const drawn = useQuery({
    queryKey: ['brand', slug, 'theme', 'sheets', customCssUrl],
    queryFn: () => pollSheets({ customCssUrl }),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    placeholderData: (before) => before,
  })
  const brand = useQuery({
    queryKey: ['brand', slug, 'own'],
    queryFn: ({ signal }) => tossup.getOwnBrand({ signal }),
    enabled: profile === undefined,
  })
  const shownBrand = profile ?? brand.data
  const colors = JSON.stringify([theme.accent, theme.background, theme.foreground, theme.fontStack])
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the theme, the colours and the font are in the sheets
  const sheets = useMemo(() => {
    if (!drawn.data) return null
    const page = view === 'page' ? [pageStyles, sheetOf(inRoot(pageThemeStyles(theme)))] : []
    return [...page, ...sheetsWith(drawn.data, theme)]
  }, [drawn.data, colors, view])
  const error = drawn.error ?? brand.error
  return (
    <Paper withBorder p="md" component="section" className="preview" aria-label={edit.preview}>
      <Title order={2} size="h5" mb="sm">
        {edit.preview}
      </Title>
      <Group gap="xs" mb="sm">
        {!profile && (
          <SegmentedControl
            size="xs"
            aria-label={edit.preview}
            value={view}
            onChange={(value) => setView(value as View)}
            data={VIEWS.map((value) => ({ value, label: look[`view_${value}`] }))}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label={nav.theme}
          value={scheme}
          onChange={(value) => setChosen(value as Scheme)}
          data={(['light', 'dark'] as const).map((value) => ({ value, label: edit[value] }))}
        />
      </Group>
      {error && <Failed error={error} />}
      {!error && !(sheets && shownBrand) && <Loading rows={4} />}
      {sheets && shownBrand && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide preview is scrolled by the keyboard
        <div role="group" aria-label={look[`view_${view}`]} tabIndex={0} className={`preview-ground ${ground}`}>
          <Shadow
            markup={withPictures(markupOf({ view, scheme: shown, theme, brand: shownBrand }), draft)}
            sheets={sheets}
            width="100%"
            scheme={shown}
          />
        </div>
      )}
    </Paper>
  )
}
