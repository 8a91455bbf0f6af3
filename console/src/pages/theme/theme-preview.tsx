import { Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { PollView } from '../../../../embed/src/poll-view.ts'
import { renderBrandHead } from '../../../../embed/src/render/render-brand-head.ts'
import { renderPoll } from '../../../../embed/src/render/render-poll.ts'
import { renderStepper } from '../../../../embed/src/render/render-stepper.ts'
import pageSheet from '../../../../embed/src/styles/page.css' with { type: 'text' }
import type { Scheme } from '../../../../embed/src/theme/palette.ts'
import { pageThemeStyles } from '../../../../embed/src/theme/theme-styles.ts'
import type { BrandProfile, OwnTheme } from '../../../../sdk/src/index.ts'
import { pollSheets, sheetsWith } from '../../parts/polls/poll-sheets.ts'
import { Shadow } from '../../parts/polls/shadow.tsx'
import { sheetOf } from '../../parts/polls/sheet.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
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
  const { edit, look } = words()
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
    brand: { name },
    resultsVisibility: view === 'poll' ? 'after_vote' : 'always',
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
  const name = brand.displayName ?? brand.name
  const place = [brand.locationCity, brand.locationState].filter(Boolean).join(', ') || null
  const profile = { avatarUrl: brand.avatarUrl, description: brand.description, place }
  const vote = view === 'results' || view === 'campaign' ? ('A' as const) : null
  const poll = renderPoll(samplePoll(view, name), theme, { scheme, colorScheme: scheme, lang, vote })
  if (view === 'campaign')
    return renderStepper({ title: words().look.sampleCampaign, at: STEPS, total: STEPS, lang }) + poll
  if (view !== 'page') return poll
  return `<div class="page-body" dir="${language.dir}">${renderBrandHead({ brandName: name, profile, theme }).toString()}${poll}</div>`
}

/** With the pictures that wait for their upload: their addresses are made by the browser. */
const withPictures = (markup: string, draft: ThemeDraft): string =>
  ASSETS.reduce((text, name) => {
    const asset = draft[name]
    return asset?.file ? text.replaceAll(standFor(name), () => asset.url) : text
  }, markup)

interface PreviewProps {
  readonly draft: ThemeDraft
  readonly theme: OwnTheme
}

/** A poll, the end of a campaign and the page of the brand, drawn as visitors get them. */
export function ThemePreview({ draft, theme }: PreviewProps) {
  const { slug, tossup } = useBrand()
  const { edit, look, nav } = words()
  const [view, setView] = useState<View>('poll')
  const [chosen, setChosen] = useState<Scheme | null>(null)
  const scheme = chosen ?? ownScheme(theme)
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
  })
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
        <SegmentedControl
          size="xs"
          aria-label={edit.preview}
          value={view}
          onChange={(value) => setView(value as View)}
          data={VIEWS.map((value) => ({ value, label: look[`view_${value}`] }))}
        />
        <SegmentedControl
          size="xs"
          aria-label={nav.theme}
          value={scheme}
          onChange={(value) => setChosen(value as Scheme)}
          data={(['light', 'dark'] as const).map((value) => ({ value, label: edit[value] }))}
        />
      </Group>
      {error && <Failed error={error} />}
      {!error && !(sheets && brand.data) && <Loading rows={4} />}
      {sheets && brand.data && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide preview is scrolled by the keyboard
        <div role="group" aria-label={look[`view_${view}`]} tabIndex={0} className={`preview-ground ${scheme}`}>
          <Shadow
            markup={withPictures(markupOf({ view, scheme, theme, brand: brand.data }), draft)}
            sheets={sheets}
            width="100%"
            scheme={scheme}
          />
        </div>
      )}
    </Paper>
  )
}
