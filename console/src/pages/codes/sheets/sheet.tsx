import type { CSSProperties } from 'react'
import { encode } from 'uqr'
import { qrPath } from '../../../../../embed/src/render/qr-path.ts'
import { directionOf, type Lang } from '../../../../../embed/src/words.ts'
import { linkOf } from '../issued-codes.ts'
import type { CodePlace } from '../use-code-lists.ts'
import { cutMarks, GRIDS, type Layout, PAPERS } from './sheet-layout.ts'
import { SHEET_TEXTS } from './sheet-texts.ts'

/** The smallest margin that the standard allows. */
const QUIET = 4

/** The part that all slips share. */
export interface SlipFace {
  readonly place: CodePlace
  readonly brand: string
  readonly lang: Lang
  readonly layout: Layout
}

const styleOf = ({ paper, slips }: Layout) =>
  ({
    '--sheet-width': `${PAPERS[paper].width}mm`,
    '--sheet-height': `${PAPERS[paper].height}mm`,
    '--columns': GRIDS[slips].columns,
    '--rows': GRIDS[slips].rows,
  }) as CSSProperties

/** One page of slips, in the size of the paper. */
export function Sheet({ codes, face }: { readonly codes: readonly string[]; readonly face: SlipFace }) {
  const { layout, lang } = face
  const { width, height } = PAPERS[layout.paper]
  return (
    <div className="sheet" data-slips={layout.slips} lang={lang} dir={directionOf(lang)} style={styleOf(layout)}>
      {codes.map((code) => (
        <Slip key={code} code={code} face={face} />
      ))}
      <svg className="cut-marks" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <path d={cutMarks(layout)} />
      </svg>
    </div>
  )
}

function Slip({ code, face }: { readonly code: string; readonly face: SlipFace }) {
  const { place, brand, lang, layout } = face
  const { how, once } = SHEET_TEXTS[lang]
  const [before, after] = how.split('{address}')
  const { size, data } = encode(linkOf(place.shareUrl, code), { ecc: 'M', border: QUIET })
  return (
    <section className="slip">
      <svg className="slip-qr" viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" aria-hidden="true">
        <path d={qrPath(data)} />
      </svg>
      <div className="slip-words">
        <span className="slip-brand" dir="auto">
          {brand}
        </span>
        <span className="slip-question" dir="auto">
          {place.title}
        </span>
        <b className="slip-code">
          <bdi dir="ltr">{code}</bdi>
        </b>
        <span className="slip-how">
          {before}
          <bdi dir="ltr">{place.typedUrl.replace(/^https?:\/\//, '')}</bdi>
          {after}
          {layout.slips === 8 && ` ${once}`}
        </span>
      </div>
    </section>
  )
}
