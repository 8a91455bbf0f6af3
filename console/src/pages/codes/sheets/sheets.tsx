import { Button, Group, NativeSelect, Stack, Switch, Text, Title } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPortal, flushSync } from 'react-dom'
import type { Lang } from '../../../../../embed/src/words.ts'
import { addStyles, sheetOf } from '../../../parts/polls/sheet.ts'
import { useBrand } from '../../../session/brand.ts'
import styles from '../../../styles/sheets.css' with { type: 'text' }
import { codesWords } from '../../../words/codes-words.ts'
import { LANGUAGES } from '../../../words/languages.ts'
import { filled, language } from '../../../words/words.ts'
import { shuffled } from '../issued-codes.ts'
import type { CodePlace } from '../use-code-lists.ts'
import { fitQuestion } from './fit-question.ts'
import { Sheet, type SlipFace } from './sheet.tsx'
import { GRIDS, type Layout, PAPERS, pagesOf, partsOf, usualPaper } from './sheet-layout.ts'

addStyles(styles)

interface SheetsProps {
  readonly codes: readonly string[]
  readonly place: CodePlace
}

/** Slips to cut out, one for each code. They are made here and printed by the browser. */
export function Sheets({ codes, place }: SheetsProps) {
  const { name: brand } = useBrand()
  const its = codesWords()
  const [layout, setLayout] = useState<Layout>(() => ({ paper: usualPaper(navigator.language), slips: 24 }))
  const [lang, setLang] = useState<Lang>(language.lang)
  const [isShuffled, setIsShuffled] = useState(true)
  const [from, setFrom] = useState(1)
  const order = useMemo(() => (isShuffled ? shuffled(codes) : codes), [codes, isShuffled])
  const parts = partsOf(codes.length, layout.slips)
  const part = parts.find((each) => each.from === from) ?? parts[0] ?? { from: 1, to: 1 }
  const pages = pagesOf(order, layout.slips, part)
  const face: SlipFace = { place, brand, lang, layout }
  const change = (changed: Partial<Layout>) => {
    setLayout((before) => ({ ...before, ...changed }))
    setFrom(1)
  }
  return (
    <section aria-labelledby="sheets">
      <Title order={3} size="h5" id="sheets">
        {its.sheetTitle}
      </Title>
      <p className="note">{its.sheetText}</p>
      <div className="sheets-and-preview">
        <Stack gap="sm">
          <NativeSelect
            label={its.paper}
            value={layout.paper}
            data={Object.entries(PAPERS).map(([value, { name }]) => ({ value, label: name }))}
            onChange={(event) => change({ paper: event.currentTarget.value as Layout['paper'] })}
          />
          <NativeSelect
            label={its.slips}
            value={String(layout.slips)}
            data={Object.keys(GRIDS).toReversed()}
            onChange={(event) => change({ slips: Number(event.currentTarget.value) as Layout['slips'] })}
          />
          <NativeSelect
            label={its.sheetLanguage}
            value={lang}
            data={Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }))}
            onChange={(event) => setLang(event.currentTarget.value as Lang)}
          />
          {parts.length > 1 && (
            <NativeSelect
              label={its.pages}
              value={String(part.from)}
              data={parts.map((each) => ({ value: String(each.from), label: filled(its.pageSpan, { ...each }) }))}
              onChange={(event) => setFrom(Number(event.currentTarget.value))}
            />
          )}
          <Switch
            label={its.shuffle}
            description={its.shuffleText}
            checked={isShuffled}
            onChange={(event) => setIsShuffled(event.currentTarget.checked)}
          />
          <Group>
            <Button variant="default" onClick={() => window.print()}>
              {pages.length === 1 ? its.printOne : filled(its.print, { count: pages.length })}
            </Button>
          </Group>
        </Stack>
        <div>
          <Text size="sm" c="dimmed" mb={6}>
            {its.firstPage}
          </Text>
          <FirstPage codes={pages[0] ?? []} face={face} />
        </div>
      </div>
      <Printed pages={pages} face={face} />
    </section>
  )
}

interface FirstPageProps {
  readonly codes: readonly string[]
  readonly face: SlipFace
}

const PIXELS_A_MILLIMETRE = 96 / 25.4

/** The page in the size of the paper, scaled to the room that it has. */
function FirstPage({ codes, face }: FirstPageProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const page = useRef<HTMLDivElement>(null)
  const { paper, slips } = face.layout
  const { title } = face.place
  const scale = width / (PAPERS[paper].width * PIXELS_A_MILLIMETRE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: all that changes the room or the text
  useLayoutEffect(() => {
    const question = page.current?.querySelector<HTMLElement>('.slip-question')
    if (question) fitQuestion(question)
  }, [paper, slips, title, face.lang, codes.length > 0])
  return (
    <div
      ref={ref}
      className="first-page"
      role="img"
      aria-label={codesWords().firstPage}
      style={{ aspectRatio: `${PAPERS[paper].width} / ${PAPERS[paper].height}` }}
    >
      <div ref={page} className="first-page-scaled" style={{ transform: `scale(${scale})` }}>
        <Sheet codes={codes} face={face} />
      </div>
    </div>
  )
}

interface PrintedProps {
  readonly pages: readonly (readonly string[])[]
  readonly face: SlipFace
}

/** In place of the page when it is printed, by the button or by the browser's menu. Its pages are in the document only then. */
function Printed({ pages, face }: PrintedProps) {
  const [isPrinting, setIsPrinting] = useState(false)
  const { size } = PAPERS[face.layout.paper]
  useEffect(() => {
    const before = () => flushSync(() => setIsPrinting(true))
    const after = () => setIsPrinting(false)
    window.addEventListener('beforeprint', before)
    window.addEventListener('afterprint', after)
    return () => {
      window.removeEventListener('beforeprint', before)
      window.removeEventListener('afterprint', after)
    }
  }, [])
  useEffect(() => {
    const paper = sheetOf(`@page { size: ${size}; margin: 0 }`)
    document.adoptedStyleSheets.push(paper)
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== paper)
    }
  }, [size])
  return createPortal(
    <div className="printed">
      {isPrinting && pages.map((codes) => <Sheet key={codes[0]} codes={codes} face={face} />)}
    </div>,
    document.body,
  )
}
