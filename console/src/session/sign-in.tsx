import { Alert, Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CONFIG } from '../config.ts'
import { messageOf } from '../parts/messages/messages.ts'
import { sessions } from '../service.ts'
import { filled, words } from '../words/words.ts'
import { sessionHasBegun } from './use-session.ts'

async function usePasskey(): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const options = await sessions.challengePasskey()
  const credential = await startAuthentication({ optionsJSON: options as never })
  await sessions.signInWithPasskey(credential)
}

/** The ways to sign in that the service offers. */
export function SignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const client = useQueryClient()
  const { signIn } = words()
  const passkey = useMutation({
    mutationFn: usePasskey,
    async onSuccess() {
      await sessionHasBegun(client)
      onSignedIn()
    },
  })
  return (
    <Stack gap="md">
      <Button size="md" onClick={() => passkey.mutate()} loading={passkey.isPending}>
        {signIn.passkey}
      </Button>
      {passkey.isError && <Alert color="red">{signIn.passkeyFailed}</Alert>}
      {CONFIG.hasOidc && (
        <Button component="a" href="/api/rest/v1/auth/oidc" size="md" variant="default">
          {signIn.provider}
        </Button>
      )}
      <Divider label={signIn.or} />
      <LinkByMail />
    </Stack>
  )
}

function LinkByMail() {
  const { signIn } = words()
  const [email, setEmail] = useState('')
  const link = useMutation({ mutationFn: () => sessions.requestLink(email.trim()) })
  if (!CONFIG.hasMail) return <WithoutMail />
  if (link.isSuccess)
    return (
      <Alert title={signIn.sent} role="status">
        <Text size="sm">{filled(signIn.sentText, { email })}</Text>
        <Anchor component="button" type="button" size="sm" onClick={() => link.reset()}>
          {signIn.another}
        </Anchor>
      </Alert>
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        link.mutate()
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={signIn.email}
          type="email"
          autoComplete="username webauthn"
          required
          size="md"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={link.isError && messageOf(link.error)}
        />
        <Button type="submit" variant="default" size="md" loading={link.isPending}>
          {signIn.link}
        </Button>
      </Stack>
    </form>
  )
}

/** The command is between backticks. */
function WithoutMail() {
  const [before, command, after] = words().signIn.noMail.split('`')
  return (
    <Text size="sm">
      {before}
      <code dir="ltr">{command}</code>
      {after}
    </Text>
  )
}
