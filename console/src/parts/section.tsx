import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a form. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Paper withBorder p="md" component="section">
    <Title order={2} size="h5" mb="sm">
      {title}
    </Title>
    <Stack gap="sm">{children}</Stack>
  </Paper>
)
