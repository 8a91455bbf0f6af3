import styles from '../../styles/results.css' with { type: 'text' }
import { addStyles } from '../polls/sheet.ts'

// Imported for its effect: the styles come once, with the first part of a page that is loaded.
addStyles(styles)
