import { useQuery } from '@tanstack/react-query'
import type { OwnTheme } from '../../../../sdk/src/index.ts'
import { pollSheets, sheetsWith } from '../../parts/polls/poll-sheets.ts'
import { useBrand } from '../../session/brand.ts'

interface DrawnTheme {
  readonly theme: OwnTheme
  readonly sheets: readonly CSSStyleSheet[]
}

/** The theme of the brand with the stylesheets of the element, for previews. */
export function useDrawnTheme(): DrawnTheme | undefined {
  const { slug, tossup } = useBrand()
  const { data } = useQuery({
    queryKey: ['brand', slug, 'preview'],
    async queryFn({ signal }): Promise<DrawnTheme> {
      const theme = await tossup.getOwnTheme({ signal })
      return { theme, sheets: sheetsWith(await pollSheets(theme), theme) }
    },
    staleTime: 300_000,
  })
  return data
}
