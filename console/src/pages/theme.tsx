import { useQuery } from '@tanstack/react-query'
import { Page } from '../parts/page.tsx'
import { addStyles } from '../parts/sheet.ts'
import { Failed, Loading, NoPermission } from '../parts/states.tsx'
import { useBrand } from '../session/brand.ts'
import styles from '../styles/theme.css' with { type: 'text' }
import { words } from '../words/words.ts'
import { ThemeForm } from './theme/theme-form.tsx'

addStyles(styles)

export function ThemePage() {
  const { slug, tossup, mayEdit } = useBrand()
  const { look } = words()
  // Read once: what was typed must not be replaced under its author.
  const theme = useQuery({
    queryKey: ['brand', slug, 'theme', 'edit'],
    queryFn: ({ signal }) => tossup.getOwnTheme({ signal }),
    enabled: mayEdit,
    staleTime: 0,
    gcTime: 0,
    // Its ETag is kept beside the very object.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <Page title={look.title} text={look.text}>
      {!mayEdit && <NoPermission />}
      {mayEdit && theme.isPending && <Loading />}
      {theme.error && <Failed error={theme.error} onRetry={() => void theme.refetch()} />}
      {theme.data && <ThemeForm theme={theme.data} />}
    </Page>
  )
}
