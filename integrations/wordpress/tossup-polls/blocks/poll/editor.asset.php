<?php
return array(
    'dependencies' => array('tossup-service', 'wp-block-editor', 'wp-blocks', 'wp-components', 'wp-element', 'wp-i18n'),
    'version'      => '0.1.0',
);
