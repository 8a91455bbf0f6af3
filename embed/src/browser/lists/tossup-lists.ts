import { load } from '../parts.ts'
import { TossupElement } from '../tossup-element.ts'

/** The loaded implementation of an element with several polls. */
export interface List {
  /** Called with the subject's name and the data that the page included, or null. */
  begin(reference: string, given: unknown): void
  end(): void
  show(): void
}

/** The exports of `entries/campaign.ts` and of `entries/brand.ts`. */
interface ListPart {
  readonly Polls: new (element: TossupElement) => List
}

abstract class TossupList extends TossupElement {
  #list: List | null = null

  begin(reference: string, given: unknown): void {
    const { run } = this
    load<ListPart>(this.named).then(
      ({ Polls }) => {
        // Created once: an element that is moved keeps its list.
        this.#list ??= new Polls(this)
        if (run === this.run) this.#list.begin(reference, given)
      },
      () => run === this.run && this.fail('unreachable', 'NETWORK_ERROR'),
    )
  }

  end(): void {
    this.#list?.end()
  }

  show(): void {
    this.#list?.show()
  }
}

/** `<tossup-campaign campaign="…">`: its polls one after another, then all results. */
export class TossupCampaign extends TossupList {
  readonly named = 'campaign'
}

/** `<tossup-feed brand="…">`: the public polls of a brand, newest first, with a button for more. */
export class TossupFeed extends TossupList {
  readonly named = 'brand'
}
