import { Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PollView } from '../../../../embed/src/poll-view.ts'
import { renderPoll } from '../../../../embed/src/render/render-poll.ts'
import type { OwnTheme } from '../../../../sdk/src/index.ts'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { pollSheets, sheetsWith } from '../../parts/polls/poll-sheets.ts'
import { Shadow } from '../../parts/polls/shadow.tsx'
import { useBrand } from '../../session/brand.ts'
import { language, words } from '../../words/words.ts'
import type { OptionDraft, PollDraft } from './poll-draft.ts'

const WIDTHS = { narrow: 300, medium: 440, wide: 640 } as const
type Width = keyof typeof WIDTHS
type Scheme = 'light' | 'dark'

/** A picture that is not uploaded yet has an address which the renderer refuses: this one stands for it. */
const stand = (slot: string) => `https://preview.invalid/${slot}`

const optionView = ({ label, picture, alt }: OptionDraft, fallback: string, slot: string) => ({
  label: label.trim() || fallback,
  imageUrl: picture?.file ? stand(slot) : (picture?.url ?? null),
  imageAlt: alt.trim() || null,
})

/** The poll as a visitor sees it before voting. */
function viewOf(draft: PollDraft, brandName: string): PollView {
  const { edit } = words()
  return {
    id: 'preview',
    title: draft.title.trim() || edit.questionPlaceholder,
    optionA: optionView(draft.optionA, edit.optionA, 'optionA'),
    optionB: optionView(draft.optionB, edit.optionB, 'optionB'),
    images: { combined: null },
    imageVariants: [],
    tallies: { optionA: 0, optionB: 0, total: 0, ...(draft.resultsVisibility === 'always' ? {} : { hidden: true }) },
    status: 'open',
    brand: { name: brandName },
    resultsVisibility: draft.resultsVisibility,
  }
}

/** With the pictures that wait for their upload: their addresses are made by the browser. */
function markupOf({ optionA, optionB }: PollDraft, markup: string): string {
  const withPicture = (text: string, slot: string, picture: PickedPicture) =>
    picture?.file ? text.replaceAll(stand(slot), () => picture.url) : text
  return withPicture(withPicture(markup, 'optionA', optionA.picture), 'optionB', optionB.picture)
}

/** Made of the markup and the stylesheets of the element, in the theme of the brand. Nobody can vote on it. */
export function Preview({ draft }: { readonly draft: PollDraft }) {
  const { slug, name, tossup } = useBrand()
  const { edit } = words()
  const [width, setWidth] = useState<Width>('narrow')
  const [scheme, setScheme] = useState<Scheme>('light')
  const theme = useQuery({
    queryKey: ['brand', slug, 'preview'],
    async queryFn({ signal }): Promise<{ theme: OwnTheme; sheets: CSSStyleSheet[] }> {
      const own = await tossup.getOwnTheme({ signal })
      return { theme: own, sheets: sheetsWith(await pollSheets(own), own) }
    },
    staleTime: 300_000,
  })
  return (
    <Paper withBorder p="md" component="section" className="preview" aria-label={edit.preview}>
      <Title order={2} size="h5" mb="sm">
        {edit.preview}
      </Title>
      <Group gap="xs" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={edit.width}
          value={width}
          onChange={(value) => setWidth(value as Width)}
          data={(Object.keys(WIDTHS) as Width[]).map((value) => ({ value, label: edit[value] }))}
        />
        <SegmentedControl
          size="xs"
          aria-label={words().nav.theme}
          value={scheme}
          onChange={(value) => setScheme(value as Scheme)}
          data={(['light', 'dark'] as const).map((value) => ({ value, label: edit[value] }))}
        />
      </Group>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide preview is scrolled by the keyboard */}
      <div role="group" aria-label={edit[width]} tabIndex={0} className={`preview-ground ${scheme}`}>
        {theme.data && (
          <Shadow
            markup={markupOf(draft, renderPoll(viewOf(draft, name), theme.data.theme, { scheme, lang: language.lang }))}
            sheets={theme.data.sheets}
            width={WIDTHS[width]}
            scheme={scheme}
          />
        )}
      </div>
    </Paper>
  )
}
