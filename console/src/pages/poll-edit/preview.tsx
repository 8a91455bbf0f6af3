import { Group, Paper, SegmentedControl, Title } from '@mantine/core'
import { useState } from 'react'
import { Shadow } from '../../parts/polls/shadow.tsx'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { words } from '../../words/words.ts'
import type { PollDraft } from './poll-draft.ts'
import { markupOf } from './poll-view.ts'
import { useDrawnTheme } from './use-drawn-theme.ts'

const WIDTHS = { narrow: 300, medium: 440, wide: 640 } as const
type Width = keyof typeof WIDTHS
type Scheme = 'light' | 'dark'

/** Made of the markup and the stylesheets of the element, in the theme of the brand. Nobody can vote on it. */
export function Preview({ draft }: { readonly draft: PollDraft }) {
  const { name } = useBrand()
  const { edit } = words()
  const its = formWords().poll
  const [width, setWidth] = useState<Width>('narrow')
  const [scheme, setScheme] = useState<Scheme>('light')
  const drawn = useDrawnTheme()
  return (
    <Paper withBorder p="md" component="section" className="preview" aria-label={edit.preview}>
      <Title order={2} size="h5" mb="sm">
        {edit.preview}
      </Title>
      <Group gap="xs" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={its.width}
          value={width}
          onChange={(value) => setWidth(value as Width)}
          data={(Object.keys(WIDTHS) as Width[]).map((value) => ({ value, label: its[value] }))}
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
      <div role="group" aria-label={its[width]} tabIndex={0} className={`preview-ground ${scheme}`}>
        {drawn && (
          <Shadow
            markup={markupOf({ draft, theme: drawn.theme, brandName: name, scheme })}
            sheets={drawn.sheets}
            width={WIDTHS[width]}
            scheme={scheme}
          />
        )}
      </div>
    </Paper>
  )
}
