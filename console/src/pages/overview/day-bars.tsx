import type { BrandNumbers } from '../../../../sdk/src/index.ts'
import { count, language, words } from '../../words/words.ts'

const HEIGHT = 120
const WIDTH = 1_000

/** A bar for each day. The numbers are in a table for those who cannot see the bars. */
export function DayBars({ points }: { readonly points: BrandNumbers['points'] }) {
  const most = Math.max(1, ...points.map(({ votes }) => votes))
  const step = WIDTH / Math.max(1, points.length)
  const day = new Intl.DateTimeFormat(language.lang, { dateStyle: 'medium' })
  const heightOf = (votes: number) => Math.max(votes > 0 ? 3 : 1, (votes / most) * HEIGHT)
  return (
    <>
      <svg
        className="bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        height={HEIGHT}
        aria-hidden="true"
      >
        {points.map(({ at, votes }, index) => (
          <rect
            key={at}
            className={votes > 0 ? 'bar' : 'bar none'}
            x={index * step + step * 0.12}
            y={HEIGHT - heightOf(votes)}
            width={step * 0.76}
            height={heightOf(votes)}
            rx={2}
          >
            <title>{`${day.format(new Date(at))}: ${count(votes)}`}</title>
          </rect>
        ))}
      </svg>
      <div className="bars-ends" aria-hidden="true">
        {[points[0], points.at(-1)].map(
          (point) => point && <span key={point.at}>{day.format(new Date(point.at))}</span>,
        )}
      </div>
      <div className="out-of-sight">
        <table>
          <caption>{words().overview.votesByDay}</caption>
          <tbody>
            {points
              .filter(({ votes }) => votes > 0)
              .map(({ at, votes }) => (
                <tr key={at}>
                  <th scope="row">{day.format(new Date(at))}</th>
                  <td>{count(votes)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
