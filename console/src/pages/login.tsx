import { Paper, Text, Title } from '@mantine/core'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { SignIn } from '../session/sign-in.tsx'
import { useSession } from '../session/use-session.ts'
import { Logo } from '../shell/logo.tsx'
import { words } from '../words/words.ts'

export function LoginPage() {
  const { data: session } = useSession()
  const navigate = useNavigate()
  const { signIn } = words()
  useEffect(() => {
    document.title = signIn.title
  }, [signIn])
  if (session) return <Navigate to="/" replace />
  return (
    <main className="alone">
      <Paper withBorder p="xl" radius="lg" w="100%" maw={420}>
        <Logo />
        <Title order={1} size="h3" mt="md">
          {signIn.title}
        </Title>
        <Text c="dimmed" mb="lg">
          {signIn.text}
        </Text>
        <SignIn onSignedIn={() => void navigate({ to: '/' })} />
      </Paper>
    </main>
  )
}
