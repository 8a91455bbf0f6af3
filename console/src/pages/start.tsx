import { Navigate } from '@tanstack/react-router'
import { Alone } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { ToSignIn } from '../session/to-sign-in.tsx'
import { useSession } from '../session/use-session.ts'
import { lastBrand } from '../shell/last-brand.ts'
import { words } from '../words/words.ts'
import { BrandList } from './brand-list.tsx'

/** `/console` leads on: to the brand that was last in view, or to the sign-in. */
export function StartPage() {
  const { data: session, isPending, error, refetch } = useSession()
  const { product, brands } = words()
  if (isPending || error)
    return (
      <Alone title={product}>{error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}</Alone>
    )
  if (!session) return <ToSignIn />
  const known = session.brands.find(({ slug }) => slug === lastBrand()) ?? session.brands[0]
  if (!known)
    return (
      <Alone title={brands.choose}>
        <BrandList brands={[]} />
      </Alone>
    )
  return <Navigate to="/$brand" params={{ brand: known.slug }} replace />
}
