import { createTheme, DirectionProvider, MantineProvider } from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { CONFIG } from './config.ts'
import { lazyPart } from './parts/lazy-part.ts'
import { Toasts } from './parts/messages/toasts.tsx'
import { router } from './router.tsx'
import { isSignedOut } from './service.ts'
import { sessionHasEnded, useHasEnded } from './session/use-session.ts'
import { language, words } from './words/words.ts'

const theme = createTheme({
  primaryColor: 'violet',
  // From text to ground, in the tone of the surfaces: the library's are without one.
  colors: {
    dark: [
      '#e6e8ec',
      '#c3c8d0',
      '#a5acb8',
      '#8b93a1',
      '#3b4049',
      '#32363e',
      '#23262c',
      '#1b1e23',
      '#14161a',
      '#0f1114',
    ],
  },
  primaryShade: { light: 7, dark: 8 },
  components: {
    Modal: { defaultProps: () => ({ closeButtonProps: { 'aria-label': words().common.close } }) },
    // Only the bar of the page is its banner.
    ModalHeader: { defaultProps: { role: 'none' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontWeight: '650' },
})

/** A session that ends in the middle opens a dialog over the page, which stays as it is. */
const onError = (error: unknown) => {
  if (isSignedOut(error)) sessionHasEnded(client)
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The client of the interface retries by itself.
  defaultOptions: { queries: { retry: false, staleTime: 10_000 }, mutations: { retry: false, networkMode: 'always' } },
})

const SessionEnded = lazyPart(async () => (await import('./session/session-ended.tsx')).SessionEnded)

/** The dialog is loaded when a session ends. */
function AfterSession() {
  const hasEnded = useHasEnded()
  return <Suspense>{hasEnded && <SessionEnded />}</Suspense>
}

export const App = () => (
  <DirectionProvider initialDirection={language.dir} detectDirection={false}>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => CONFIG.nonce}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <AfterSession />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  </DirectionProvider>
)
