import floating from '@mantine/core/styles/FloatingIndicator.css' with { type: 'text' }
import segmented from '@mantine/core/styles/SegmentedControl.css' with { type: 'text' }
import { useEffect, useRef } from 'react'
import { addStyles } from './sheet.ts'

// Above a preview are the choices of its width and scheme.
addStyles(floating + segmented)

interface ShadowProps {
  /** Composed by `html`, which escapes user input. */
  readonly markup: string
  readonly sheets: readonly CSSStyleSheet[]
  readonly width: number | string
  readonly scheme: 'light' | 'dark'
}

/** Renders the visitors' view in a shadow root, out of reach of the console's styles. Nothing in it can be pressed. */
export function Shadow({ markup, sheets, width, scheme }: ShadowProps) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [...sheets]
    root.innerHTML = markup
  }, [markup, sheets])
  return <div ref={host} inert data-scheme={scheme} data-kind="page" className="preview-poll" style={{ width }} />
}
