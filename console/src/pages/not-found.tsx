import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Alone, Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { words } from '../words/words.ts'

const Nothing = () => (
  <Empty icon="search" text={words().state.notFoundText}>
    <Button component={Link} to="/" variant="default">
      {words().nav.overview}
    </Button>
  </Empty>
)

export const NotFound = () => (
  <Alone title={words().state.notFound}>
    <Nothing />
  </Alone>
)

/** Beside the navigation, which leads on. */
export const NotFoundInBrand = () => (
  <Page title={words().state.notFound}>
    <Nothing />
  </Page>
)
