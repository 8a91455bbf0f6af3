<?php
/**
 * Plugin Name:       Tossup polls
 * Description:       Polls with two options in your posts and pages: a block, pasted links and a shortcode. The polls and their votes are kept by a Tossup service.
 * Version:           0.1.0
 * Requires at least: 6.1
 * Requires PHP:      7.4
 * Author:            Tossup
 * License:           MIT
 * License URI:       https://opensource.org/license/mit
 * Text Domain:       tossup-polls
 * Domain Path:       /languages
 */

defined('ABSPATH') || exit;

const TOSSUP_VERSION = '0.1.0';
const TOSSUP_FILE = __FILE__;

foreach (array('languages', 'settings', 'settings-page', 'check', 'element', 'block', 'links') as $tossup_part) {
    require __DIR__ . '/includes/' . $tossup_part . '.php';
}
