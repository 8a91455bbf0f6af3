import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Alone } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { words } from '../words/words.ts'

export const NotFound = () => (
  <Alone title={words().state.notFound}>
    <Empty icon="search" text={words().state.notFoundText}>
      <Button component={Link} to="/" variant="default">
        {words().nav.overview}
      </Button>
    </Empty>
  </Alone>
)
