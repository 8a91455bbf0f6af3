<?php
// The only thing that this plugin stores is one option. Posts keep their blocks, each with a link to its poll.

defined('WP_UNINSTALL_PLUGIN') || exit;

if (is_multisite()) {
    foreach (get_sites(array('fields' => 'ids', 'number' => 0)) as $tossup_site) {
        delete_blog_option($tossup_site, 'tossup_polls');
    }
} else {
    delete_option('tossup_polls');
}
