import { Badge, Button, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icons.tsx'
import { toast, toastFailure } from '../parts/messages/toasts.tsx'
import { Alone, Page } from '../parts/page.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { sessions } from '../service.ts'
import { ToSignIn } from '../session/to-sign-in.tsx'
import { useSession, useSignOut } from '../session/use-session.ts'
import { accountWords } from '../words/account-words.ts'
import { chooseLanguage, chosenLanguage } from '../words/chosen-language.ts'
import { LANGUAGES } from '../words/languages.ts'
import { filled, fromNow, words } from '../words/words.ts'
import { BrandList } from './brand-list.tsx'
import { browserOf } from './profile/browser-of.ts'
import { MailPreferences } from './profile/mail-preferences.tsx'

/** The person's profile, the same in every brand. */
export function ProfilePage() {
  const { data: session, isPending, error, refetch } = useSession()
  const signOut = useSignOut()
  const { nav } = words()
  const { profile } = accountWords()
  if (isPending || error)
    return (
      <Alone title={profile.title}>
        {error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Alone>
    )
  if (!session) return <ToSignIn />
  const above = (
    <Link to="/" className="back">
      <Icon name="back" size={16} /> {nav.overview}
    </Link>
  )
  return (
    <main className="content alone-wide">
      <Page
        title={profile.title}
        text={session.member.email}
        above={above}
        actions={
          <Button variant="default" onClick={() => signOut.mutate()} loading={signOut.isPending}>
            {nav.signOut}
          </Button>
        }
      >
        <Stack gap="md">
          <Passkeys />
          <Sessions />
          <LanguageChoice />
          <MailPreferences brands={session.brands} />
          <Title order={2} size="h5">
            {profile.brands}
          </Title>
          <BrandList brands={session.brands} />
        </Stack>
      </Page>
    </main>
  )
}

/** Names each language in itself, so that its readers find it. */
function LanguageChoice() {
  const { profile } = accountWords()
  return (
    <Paper withBorder p="md" component="section">
      <NativeSelect
        label={profile.language}
        description={profile.languageText}
        value={chosenLanguage() ?? ''}
        onChange={(event) => chooseLanguage(event.currentTarget.value || null)}
        data={[
          { value: '', label: profile.languageOfBrowser },
          ...Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name })),
        ]}
      />
    </Paper>
  )
}

async function addPasskey(): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const options = await sessions.beginPasskey()
  const credential = await startRegistration({ optionsJSON: options as never })
  await sessions.createPasskey(credential, browserOf(navigator.userAgent))
}

function Passkeys() {
  const client = useQueryClient()
  const { common } = words()
  const { profile } = accountWords()
  const queryKey = ['passkeys']
  const passkeys = useQuery({ queryKey, queryFn: ({ signal }) => sessions.listPasskeys({ signal }).page() })
  const onDone = (said: string) => {
    toast(said)
    void client.invalidateQueries({ queryKey })
  }
  const add = useMutation({
    mutationFn: addPasskey,
    onSuccess: () => onDone(profile.passkeyAdded),
    onError: () => toastFailure(new Error(profile.passkeyFailed)),
  })
  const remove = useMutation({
    mutationFn: (id: string) => sessions.deletePasskey(id),
    onSuccess: () => onDone(profile.passkeyRemoved),
    onError: toastFailure,
  })
  return (
    <Paper withBorder p="md" component="section">
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={2} size="h5">
            {profile.passkeys}
          </Title>
          <Text size="sm" c="dimmed">
            {profile.passkeysText}
          </Text>
        </div>
        <Button onClick={() => add.mutate()} loading={add.isPending}>
          {profile.addPasskey}
        </Button>
      </Group>
      {passkeys.isPending && <Loading rows={1} />}
      {passkeys.error && <Failed error={passkeys.error} onRetry={() => void passkeys.refetch()} />}
      {passkeys.data?.data.length === 0 && <Text size="sm">{profile.noPasskeys}</Text>}
      <ul className="plain">
        {passkeys.data?.data.map(({ id, name, lastUsedAt }) => (
          <li key={id} className="row">
            <span>
              <bdi>{name}</bdi>
              <Text size="xs" c="dimmed">
                {lastUsedAt ? filled(profile.used, { when: fromNow(lastUsedAt) }) : profile.notUsed}
              </Text>
            </span>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={`${common.remove}: ${name}`}
              onClick={() => remove.mutate(id)}
            >
              {common.remove}
            </Button>
          </li>
        ))}
      </ul>
    </Paper>
  )
}

function Sessions() {
  const client = useQueryClient()
  const { profile } = accountWords()
  const queryKey = ['sessions']
  const list = useQuery({ queryKey, queryFn: ({ signal }) => sessions.listSessions({ signal }).page() })
  const end = useMutation({
    mutationFn: (id: string) => sessions.endSession(id),
    onSuccess() {
      toast(profile.ended)
      void client.invalidateQueries({ queryKey })
    },
    onError: toastFailure,
  })
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5" mb="sm">
        {profile.sessions}
      </Title>
      {list.isPending && <Loading rows={2} />}
      {list.error && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      <ul className="plain">
        {list.data?.data.map(({ id, userAgent, lastSeenAt, current }) => (
          <li key={id} className="row">
            <span>
              <bdi>{browserOf(userAgent)}</bdi>
              <Text size="xs" c="dimmed">
                {filled(profile.seen, { when: fromNow(lastSeenAt) })}
              </Text>
            </span>
            {current ? (
              <Badge variant="light" color="teal" tt="none">
                {profile.current}
              </Badge>
            ) : (
              <Button size="compact-sm" variant="default" onClick={() => end.mutate(id)}>
                {profile.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Paper>
  )
}
