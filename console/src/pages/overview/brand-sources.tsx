import { Sources } from '../../parts/results/sources.tsx'
import { useBrand } from '../../session/brand.ts'
import { words } from '../../words/words.ts'

/** The places that bring votes, over all polls of the last 30 days. */
export function BrandSources() {
  const { slug, tossup } = useBrand()
  return (
    <Sources
      queryKey={['brand', slug, 'sources']}
      read={(signal) => tossup.getBrandSources({}, { signal })}
      label={null}
      span={words().overview.span}
    />
  )
}
