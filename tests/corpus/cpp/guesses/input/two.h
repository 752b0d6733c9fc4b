struct Two { void shared_name() {} };
