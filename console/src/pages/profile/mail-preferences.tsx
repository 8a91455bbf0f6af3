import { Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { MailPreferences as Preferences } from '../../../../sdk/src/index.ts'
import { toastFailure } from '../../parts/messages/toasts.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { tossupOf } from '../../service.ts'
import { accountWords } from '../../words/account-words.ts'
import { filled, language } from '../../words/words.ts'

const KINDS = ['pollClosed', 'firstVote', 'roundNumbers', 'weeklyDigest'] as const

interface BrandName {
  readonly slug: string
  readonly name: string
}

/** Emails about each brand of this person, who turns on what they want. */
export const MailPreferences = ({ brands }: { readonly brands: readonly BrandName[] }) =>
  brands.map((brand) => <OfBrand key={brand.slug} brand={brand} />)

function OfBrand({ brand: { slug, name } }: { readonly brand: BrandName }) {
  const client = useQueryClient()
  const its = accountWords().mails
  const queryKey = ['mails', slug]
  const tossup = tossupOf(slug)
  const mails = useQuery({ queryKey, queryFn: ({ signal }) => tossup.getMailPreferences({ signal }) })
  const change = useMutation({
    // Mails speak the language in which they were asked for.
    mutationFn: (changed: Partial<Preferences>) => tossup.updateMailPreferences({ ...changed, lang: language.lang }),
    onSuccess: (now) => client.setQueryData(queryKey, now),
    onError: toastFailure,
  })
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5">
        {filled(its.title, { brand: name })}
      </Title>
      {mails.isPending && <Loading rows={2} />}
      {mails.error && <Failed error={mails.error} onRetry={() => void mails.refetch()} />}
      {mails.data && (
        <Stack gap="xs" mt="sm">
          {!mails.data.available && <Text size="sm">{its.unavailable}</Text>}
          {KINDS.map((kind) => (
            <Switch
              key={kind}
              label={its[kind]}
              checked={change.isPending ? (change.variables[kind] ?? mails.data[kind]) : mails.data[kind]}
              disabled={!mails.data.available || change.isPending}
              onChange={(event) => change.mutate({ [kind]: event.currentTarget.checked })}
            />
          ))}
        </Stack>
      )}
    </Paper>
  )
}
