import { Text } from '@mantine/core'
import { useId, useRef } from 'react'
import type { PlacedProblem } from '../../parts/messages/messages.ts'
import { Section } from '../../parts/section.tsx'
import { formWords } from '../../words/form-words.ts'
import { filled } from '../../words/words.ts'

interface CssFieldProps {
  readonly value: string
  readonly refusals: readonly PlacedProblem[]
  /** A problem without a place, such as one of the length. */
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

/** Where a place of the service, which counts from 1, stands in the text. */
function offsetOf(text: string, { line, column }: Pick<PlacedProblem, 'line' | 'column'>): number {
  const before = text.split('\n').slice(0, line - 1)
  return Math.min(text.length, before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1)
}

const FEWEST_ROWS = 10
const MOST_ROWS = 24

/** A stylesheet with the numbers of its lines. A refusal leads to its place. */
export function CssField({ value, refusals, error, onChange }: CssFieldProps) {
  const { look } = formWords()
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const lines = value.split('\n').length
  const refusedLines = new Set(refusals.map(({ line }) => line))
  const isRefused = refusals.length > 0 || error !== undefined

  function goTo(problem: PlacedProblem): void {
    const { current } = area
    if (!current) return
    const offset = offsetOf(value, problem)
    current.focus()
    current.setSelectionRange(offset, offset)
    const lineHeight = Number.parseFloat(getComputedStyle(current).lineHeight)
    current.scrollTop = Math.max(0, (problem.line - 3) * lineHeight)
  }

  return (
    <Section title={look.css}>
      <Text size="sm" c="dimmed" id={`${id}-text`}>
        {look.cssText}
      </Text>
      <div className={isRefused ? 'css-field refused' : 'css-field'} dir="ltr">
        <div className="css-lines" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <div key={i} className={refusedLines.has(i + 1) ? 'refused' : undefined}>
              {i + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label={look.css}
          aria-describedby={`${id}-text ${id}-problems`}
          aria-invalid={isRefused}
          value={value}
          rows={Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, lines))}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop
          }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      <div id={`${id}-problems`} role="alert">
        {isRefused && (
          <Text size="sm" c="var(--mantine-color-error)">
            {refusals.length > 0 ? look.refused : error}
          </Text>
        )}
        <ul className="plain">
          {refusals.map((problem) => (
            <li key={`${problem.line}:${problem.column}`}>
              <button
                type="button"
                className="css-refusal"
                title={filled(look.goTo, { line: problem.line, column: problem.column })}
                onClick={() => goTo(problem)}
              >
                <bdi>{problem.message}</bdi>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  )
}
