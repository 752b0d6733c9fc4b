<?php
function parameter($Header) { $Header->get("a"); $Header->put(); }
function dynamic($check) { return $check(); }
function local() { $Header = other(); $Header->put(); $Header::get("a"); }
function cls($Header) { return $Header::get("a"); }
function right() { Header::get("a"); check(); }
