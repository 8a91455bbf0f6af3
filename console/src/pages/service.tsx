import { Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isTossupError } from '../../../sdk/src/index.ts'
import { Icon } from '../parts/icons.tsx'
import { Page } from '../parts/page.tsx'
import { addStyles } from '../parts/polls/sheet.ts'
import { Empty, Failed, Loading, OfflineNote } from '../parts/states.tsx'
import { sessions } from '../service.ts'
import { ToSignIn } from '../session/to-sign-in.tsx'
import { type OwnSession, useSession } from '../session/use-session.ts'
import styles from '../styles/service.css' with { type: 'text' }
import { serviceWords } from '../words/service-words.ts'
import { filled, fromNow, words } from '../words/words.ts'
import { ServedBrands } from './service/served-brands.tsx'
import { ServiceFindings } from './service/service-findings.tsx'
import { ServiceParts } from './service/service-parts.tsx'

addStyles(styles)

const ASK_EVERY_MS = 10_000

/** For an operator: of the whole service, and of no brand. */
export function ServicePage() {
  const { data: session, isPending, error, refetch } = useSession()
  const its = serviceWords()
  if (session === null) return <ToSignIn />
  return (
    <main className="content alone-full">
      <OfflineNote />
      <Page title={its.title} text={its.text} above={<BackToBrands />}>
        {isPending && <Loading />}
        {error && <Failed error={error} onRetry={() => void refetch()} />}
        {session && <ForOperators session={session} />}
      </Page>
    </main>
  )
}

const BackToBrands = () => (
  <Link to="/" className="back">
    <Icon name="back" size={16} /> {words().nav.overview}
  </Link>
)

function ForOperators({ session: { member, operator } }: { readonly session: OwnSession }) {
  const its = serviceWords()
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['service'],
    queryFn: ({ signal }) => sessions.readService({ signal }),
    enabled: operator,
    refetchInterval: ASK_EVERY_MS,
    placeholderData: keepPreviousData,
  })
  if (!operator || isTossupError(error, 'ROLE_REQUIRED'))
    return <Empty icon="user" title={its.noPermission} text={filled(its.noPermissionText, { email: member.email })} />
  const failed = error && <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return failed || <Loading />
  return (
    <Stack gap="md">
      {failed}
      {error && <p className="note">{filled(its.old, { when: fromNow(new Date(dataUpdatedAt).toISOString()) })}</p>}
      <ServiceFindings state={data} />
      <ServiceParts state={data} />
      <ServedBrands />
    </Stack>
  )
}
