package shop

func good() {}

func bad( {

func after() { good() }
