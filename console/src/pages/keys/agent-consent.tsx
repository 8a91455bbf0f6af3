import { Alert, Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { AgentRequest } from '../../../../sdk/src/index.ts'
import { isTossupError } from '../../../../sdk/src/index.ts'
import { messageOf, problemOf } from '../../parts/messages/messages.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { sessions } from '../../service.ts'
import { SignIn } from '../../session/sign-in.tsx'
import { type OwnSession, useSession } from '../../session/use-session.ts'
import { lastBrand } from '../../shell/last-brand.ts'
import { Logo } from '../../shell/logo.tsx'
import { accountWords } from '../../words/account-words.ts'
import { filled, words } from '../../words/words.ts'

/** The request is behind the hash, as the agent wrote it: the router would rewrite a query. */
const requestOfPage = () => window.location.hash.slice(1)

const CHOICES = ['read', 'draft', 'publish'] as const
type Permission = (typeof CHOICES)[number]

/** The text with its placeholder replaced by a bold value: the host is what a person checks. */
function Bold({ text, value }: { readonly text: string; readonly value: string }) {
  const [before, after] = text.split(/\{\w+\}/)
  return (
    <>
      {before}
      <b dir="ltr">{value}</b>
      {after}
    </>
  )
}

interface FrameProps {
  /** Who is signed in. */
  readonly person?: string
  readonly children: ReactNode
}

function Frame({ person, children }: FrameProps) {
  const { agents } = accountWords()
  useEffect(() => {
    document.title = `${agents.ask} · ${words().product}`
  }, [agents])
  return (
    <main className="alone">
      <Paper withBorder p="xl" radius="lg" w="100%" maw={480} style={{ overflowWrap: 'anywhere' }}>
        <Group justify="space-between" gap="xs">
          <Logo />
          <Text size="xs" c="dimmed">
            <bdi>{person}</bdi>
          </Text>
        </Group>
        {children}
      </Paper>
    </main>
  )
}

/** A person decides here what a program may do for them. Nothing leads away before the service has checked the request. */
export function AgentConsentPage() {
  const { data: session, isPending, error, refetch } = useSession()
  const { signIn } = words()
  if (isPending || error)
    return <Frame>{error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />}</Frame>
  if (session) return <Request session={session} />
  return (
    <Frame>
      <Title order={1} size="h3" mt="md">
        {signIn.title}
      </Title>
      <Text c="dimmed" mb="lg">
        {signIn.text}
      </Text>
      <SignIn onSignedIn={() => void refetch()} />
      <Button variant="subtle" mt="md" fullWidth onClick={() => void refetch()}>
        {signIn.again}
      </Button>
    </Frame>
  )
}

function Request({ session }: { readonly session: OwnSession }) {
  const query = requestOfPage()
  const { agents } = accountWords()
  const asked = useQuery({
    queryKey: ['agent', query],
    queryFn: ({ signal }) => sessions.readAgentRequest(query, { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const invalid = isTossupError(asked.error, 'VALIDATION_ERROR')
  // Anybody can publish a client, so a faulty request leads nowhere by itself.
  if (invalid || asked.data?.name === null)
    return (
      <Frame>
        <Title order={1} size="h3" mt="md">
          {agents.invalid}
        </Title>
        <Text mt="xs">{agents.invalidText}</Text>
        {invalid && (
          <Alert color="red" mt="md">
            {faultOf(asked.error)}
          </Alert>
        )}
        {asked.data && (
          <>
            <Text size="sm" mt="md">
              {filled(agents.leadsTo, { leadsTo: asked.data.leadsTo })}
            </Text>
            <Button variant="default" component="a" href={asked.data.refusalTo} mt="md">
              {words().common.back}
            </Button>
          </>
        )}
      </Frame>
    )
  if (asked.error)
    return (
      <Frame>
        <Failed error={asked.error} onRetry={() => void asked.refetch()} />
      </Frame>
    )
  return (
    <Frame person={session.member.email}>
      {asked.data ? <Consent {...{ session, query, request: asked.data }} /> : <Loading />}
    </Frame>
  )
}

const FAULTS = ['invalid_client', 'invalid_redirect', 'duplicate_parameter'] as const

/** The service says it in English. */
function faultOf(error: unknown): string {
  const fault = FAULTS.find((each) => each === problemOf(error))
  return fault ? accountWords().agents[fault] : messageOf(error)
}

interface Asked {
  readonly session: OwnSession
  readonly query: string
  readonly request: AgentRequest
}

function Consent({ session, query, request }: Asked) {
  const { agents } = accountWords()
  const [slug, setSlug] = useState(
    () => session.brands.find((brand) => brand.slug === lastBrand())?.slug ?? session.brands[0]?.slug ?? '',
  )
  const [chosen, setChosen] = useState<readonly Permission[]>(['read', 'draft'])
  const isAnalyst = session.brands.find((brand) => brand.slug === slug)?.role === 'analyst'
  const permissions = isAnalyst ? (['read'] as const) : chosen
  const allow = useMutation({
    mutationFn: () => sessions.allowAgent({ query, brandSlug: slug, permissions: [...permissions] }),
    onSuccess: ({ redirectTo }) => window.location.assign(redirectTo),
  })
  return (
    <Stack gap="sm" mt="md">
      <Title order={1} size="h3">
        {filled(agents.asks, { name: request.name ?? '' })}
      </Title>
      <Text size="sm">
        <Bold text={agents.address} value={request.host ?? ''} /> <Bold text={agents.leadsTo} value={request.leadsTo} />
      </Text>
      <NativeSelect
        label={agents.brand}
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
        data={session.brands.map((brand) => ({ value: brand.slug, label: brand.name }))}
      />
      <Checkbox.Group
        label={agents.may}
        value={[...permissions]}
        onChange={(values) => setChosen(CHOICES.filter((each) => values.includes(each)))}
      >
        <Stack gap="xs" mt="xs">
          <Checkbox value="read" label={agents.read} disabled styles={{ label: { color: 'inherit' } }} />
          <Checkbox value="draft" label={agents.draft} disabled={isAnalyst} />
          <Checkbox value="publish" label={agents.publish} description={agents.publishText} disabled={isAnalyst} />
        </Stack>
      </Checkbox.Group>
      {isAnalyst && <Text size="sm">{agents.analyst}</Text>}
      {allow.error && <Alert color="red">{messageOf(allow.error)}</Alert>}
      <Group grow mt="xs">
        <Button variant="default" component="a" href={request.refusalTo}>
          {agents.refuse}
        </Button>
        <Button loading={allow.isPending || allow.isSuccess} disabled={slug === ''} onClick={() => allow.mutate()}>
          {agents.allow}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {agents.later}
      </Text>
    </Stack>
  )
}
