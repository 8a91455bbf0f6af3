import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { Shadow } from '../../parts/polls/shadow.tsx'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import type { PollDraft } from './poll-draft.ts'
import { markupOf } from './poll-view.ts'
import { useDrawnTheme } from './use-drawn-theme.ts'

/** In pixels: one answer below the other, and both side by side, each with frames of another shape. */
const WIDTHS = { phone: 360, page: 576 } as const
const GAP = 16
const WHOLE = WIDTHS.phone + WIDTHS.page

/** The answers of a poll as phones and wider pages show them, made smaller. */
export function Frames({ draft }: { readonly draft: PollDraft }) {
  const its = formWords().picture
  const { ref, width } = useElementSize()
  const scale = Math.max(0, (width - GAP) / WHOLE)
  return (
    <section aria-label={its.shown}>
      <p className="frames-title">{its.shown}</p>
      <div ref={ref} className="frames">
        {(['phone', 'page'] as const).map((name) => (
          <figure key={name} style={{ width: WIDTHS[name] * scale }}>
            <SmallPoll draft={draft} width={WIDTHS[name]} scale={scale} />
            <figcaption>{its[name]}</figcaption>
          </figure>
        ))}
      </div>
    </section>
  )
}

interface SmallProps {
  readonly draft: PollDraft
  readonly width: number
  readonly scale: number
}

function SmallPoll({ draft, width, scale }: SmallProps) {
  const { name } = useBrand()
  const drawn = useDrawnTheme()
  const scheme = useComputedColorScheme('light')
  const { ref, height } = useElementSize()
  return (
    <div className="small-poll" dir="ltr" style={{ height: Math.ceil(height * scale) }}>
      <div ref={ref} style={{ width, transform: `scale(${scale})` }}>
        {drawn && (
          <Shadow
            markup={markupOf({ draft, theme: drawn.theme, brandName: name, scheme, isBare: true })}
            sheets={drawn.sheets}
            width={width}
            scheme={scheme}
          />
        )}
      </div>
    </div>
  )
}
