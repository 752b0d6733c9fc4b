<html>
<body>
<?php foreach ($xs as $x): ?>
  <b><?= show($x) ?></b>
<?php endforeach; ?>
</body>
<?php
function show($x) { return $x; }
