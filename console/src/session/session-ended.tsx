import { Button, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { sessions } from '../service.ts'
import { words } from '../words/words.ts'
import { SignIn } from './sign-in.tsx'
import { sessionHasBegun } from './use-session.ts'

/** Over the page, which keeps what was typed. A sign-in by a link happens in another tab. */
export function SessionEnded() {
  const client = useQueryClient()
  const { signIn } = words()
  const check = () =>
    sessions.read().then(
      () => sessionHasBegun(client),
      () => undefined,
    )
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title={signIn.ended} centered>
      <Stack>
        <Text size="sm">{signIn.endedText}</Text>
        <SignIn onSignedIn={() => undefined} />
        <Button variant="subtle" onClick={() => void check()}>
          {signIn.again}
        </Button>
      </Stack>
    </Modal>
  )
}
